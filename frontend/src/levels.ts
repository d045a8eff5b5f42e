// The stops of the slider: twenty to a decade, evenly spaced for the hand, round for the eye.

const STEPS = [1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9];
const LOWEST = 1e-6;

/** Stops from a millionth (or well below the chosen level) to the highest level, both included. */
export function levelStops(level: number, highest: number): number[] {
  const lowest = Math.min(LOWEST, level / 100);
  const stops = new Set([level, highest]);
  for (let power = Math.floor(Math.log10(lowest)); power < 0; power++) {
    for (const step of STEPS) {
      // Through text, because 3 × 0.1 is not 0.3.
      const stop = Number(`${step}e${power}`);
      if (stop >= lowest && stop < highest) stops.add(stop);
    }
  }
  return [...stops].sort((a, b) => a - b);
}

/** The last stop at or below a level. */
export function stopBelow(stops: number[], level: number): number {
  const above = stops.findIndex((stop) => stop > level);
  return above < 0 ? stops.length - 1 : Math.max(0, above - 1);
}
