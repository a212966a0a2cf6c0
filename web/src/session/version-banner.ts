/** Says that the server has a newer page. The reader decides when to load it: what is being written is kept either way. */
import { button, element } from "../dom/dom";
import { isNewVersionServed } from "../server/new-version";

export class VersionBanner {
  readonly root = element("div", "version-banner");
  private connections = 0;

  constructor() {
    this.root.hidden = true;
    this.root.setAttribute("aria-live", "polite");
    this.root.append(
      element("p", "", "A new version is running here."),
      button("Reload", "quiet", () => location.reload()),
    );
  }

  /** Asks only after the connection was lost: the page that was just loaded is what is served. */
  async connected(): Promise<void> {
    this.connections += 1;
    if (this.connections > 1 && (await isNewVersionServed())) this.root.hidden = false;
  }
}
