// Light or dark: the system's choice until the reader makes one.

import { byId } from "./dom";

export function setUpTheme(onChange: () => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = byId("theme");
  let chosen: boolean | null = null;

  const apply = () => {
    const dark = chosen ?? system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
    onChange();
  };
  button.addEventListener("click", () => {
    chosen = !(chosen ?? system.matches);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
