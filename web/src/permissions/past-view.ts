/** What became of a request, in the place where it was asked. */
import type { PermissionRequest } from "../contract";
import { button, element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import type { GivenHere } from "./desk";
import { outcomeLines, type Whose, whoseIs } from "./permission-outcome";
import { requestLine } from "./request-content";

export class PastView {
  readonly root = element("div", "permission-past");
  private readonly lines = element("div", "");
  private told = "";
  readonly since = performance.now();
  whose: Whose = "not known yet";

  constructor(
    private readonly request: PermissionRequest,
    dismiss: () => void,
  ) {
    const title = element("p", "permission-past-title", visibleLine(requestLine(request)));
    this.root.append(element("div", "", title, this.lines), button("Dismiss", "quiet", dismiss));
    this.root.tabIndex = -1;
    this.root.dataset.permissionId = request.permissionId;
  }

  /** `outcome` may come later than that it is over, and whose answer it was later still. */
  tell(outcome: PermissionRequest | undefined, given: GivenHere | undefined): void {
    // What is known of it once is not taken back when it is forgotten.
    if (outcome === undefined && this.told !== "") return;
    if (outcome) this.whose = whoseIs(outcome, given);
    const lines = outcomeLines(outcome ?? this.request, given).map(visibleLine);
    if (lines.join("\n") === this.told) return;
    this.told = lines.join("\n");
    this.lines.replaceChildren(...lines.map((line) => element("p", "", line)));
  }
}
