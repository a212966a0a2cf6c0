/** The one way to what opens above the page: it is fetched after everything else, and once. */
import { Later } from "./dom/later";

export const dialogs = new Later(() => import("./dialogs"));
