// Numbers and names as people read them.

const COUNT = new Intl.NumberFormat("en");

export function count(value: number): string {
  return COUNT.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A probability: 0.0312, or 3.1e-7 where zeros would fill the column; none is quite 0. */
export function probability(value: number): string {
  if (value < 1e-300) return "<1e-300";
  return value >= 0.001 ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}

/** A signed value with a true minus. */
export function signed(value: number, digits: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
}

/** Level as people type it: every digit, no exponent where that is short. */
export function plain(value: number): string {
  return value >= 0.0001 ? String(value) : value.toExponential();
}

export function percent(value: number): string {
  return `${Number((value * 100).toPrecision(3))}%`;
}

/** A name short enough for a drawing. */
export function shortened(name: string, length = 28): string {
  const characters = [...name.slice(0, 4 * length)];
  return characters.length <= length ? name : `${characters.slice(0, length - 1).join("")}…`;
}
