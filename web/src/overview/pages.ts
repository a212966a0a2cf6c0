/** What fills the pages about all sessions: one file that is fetched after the page itself. */
import "./pages.css";

export { InboxView } from "../inbox/inbox-view";
export { WallView } from "../wall/wall-view";
