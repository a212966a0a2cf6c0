/** Takes a directory into the list, so that sessions can be started in it and earlier ones be imported. */
import { element } from "../dom/dom";
import { Sheet } from "../dom/sheet";
import { ApiError } from "../server/api";
import { addProject } from "../server/list-api";
import { DirectoryField } from "../start/directory-field";

export type OfferDirectories = (written: string) => Promise<string[]>;

const ABOUT = "Agents work in it with your rights. Nothing in it is changed by adding it.";

export class AddProjectSheet {
  private readonly sheet = new Sheet();
  private readonly form = element("form", "sheet-form");
  private readonly directory: DirectoryField;
  private readonly add = element("button", "button primary", "Add project");

  constructor(offer: OfferDirectories) {
    const actions = { directories: offer, changed: () => this.sheet.say("") };
    this.directory = new DirectoryField(actions, { id: "add-directory", label: "Directory" });
    this.sheet.root.classList.add("roomy");
    this.form.id = "add-project";
    this.add.setAttribute("form", this.form.id);
    this.form.append(this.directory.root, element("p", "sheet-hint", ABOUT));
    this.form.addEventListener("submit", (event) => void this.submitted(event));
    this.sheet.body.append(this.form);
    this.sheet.actions.append(this.add);
  }

  open(): void {
    this.directory.choose("");
    this.sheet.open("Add a project");
    this.directory.focus();
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
      this.directory.focus();
    } finally {
      this.add.disabled = false;
    }
  }
}
