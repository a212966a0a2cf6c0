/** Takes a directory into the list, so that sessions can be started in it and earlier ones be imported. */
import { element } from "../dom/dom";
import { Sheet } from "../dom/sheet";
import { ApiError } from "../server/api";
import { addProject } from "../server/list-api";
import { DirectoryInput, type OfferDirectories } from "../start/directory-input";

const ABOUT = "Agents work in it with your rights. Nothing in it is changed by adding it.";

export class AddProjectSheet {
  private readonly sheet = new Sheet();
  private readonly form = element("form", "sheet-form");
  private readonly directory: DirectoryInput;
  private readonly add = element("button", "button primary", "Add project");

  constructor(offer: OfferDirectories) {
    this.directory = new DirectoryInput(offer);
    this.form.id = "add-project";
    this.add.setAttribute("form", this.form.id);
    const label = element("span", "field-label", "Directory");
    this.form.append(
      element("label", "field", label, this.directory.root),
      this.directory.offered,
      element("p", "sheet-hint", ABOUT),
    );
    this.form.addEventListener("submit", (event) => void this.submitted(event));
    this.sheet.body.append(this.form);
    this.sheet.actions.append(this.add);
  }

  open(): void {
    this.directory.begin("");
    this.sheet.open("Add a project");
    this.directory.root.focus();
  }

  private async submitted(event: Event): Promise<void> {
    event.preventDefault();
    this.add.disabled = true;
    try {
      // The server tells every page of it, this one too.
      await addProject(this.directory.value);
      this.sheet.close();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.sheet.say(error.message);
      this.directory.root.focus();
    } finally {
      this.add.disabled = false;
    }
  }
}
