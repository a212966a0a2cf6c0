/** What became of a request, in the place where it was asked. */
import type { PermissionAnswer, PermissionRequest } from "../contract";
import { button, element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { outcomeLines } from "./permission-outcome";
import { requestLine } from "./request-content";

export function pastView(
  request: PermissionRequest,
  answer: PermissionAnswer | undefined,
  dismiss: () => void,
): HTMLElement {
  const lines = outcomeLines(request, answer).map((line) => element("p", "", visibleLine(line)));
  const title = element("p", "permission-past-title", visibleLine(requestLine(request)));
  const close = button("Dismiss", "quiet", dismiss);
  const root = element("div", "permission-past", element("div", "", title, ...lines), close);
  root.tabIndex = -1;
  root.dataset.permissionId = request.permissionId;
  return root;
}
