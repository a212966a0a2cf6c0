/** The transcript as assistive software is told it: names, roles and order, and nothing that only eyes could make out. */
import { BEGIN, called, did, END, said, thought } from "./calls";
import { expect, test } from "./fixtures";
import { logIn, openSession } from "./transcript-page";

test("what was said and done is one tree of named parts, in order", { tag: "@desktop" }, async ({
  page,
  server,
}) => {
  const sessionId = await server.createSession("Tree");
  await server.postEvents(
    sessionId,
    "t1",
    BEGIN,
    ...said("u", "Fix the test", "user"),
    ...thought("k", "Where does it wait?"),
    ...did("run", "Bash", { command: "make test" }, "1 failed\nexit code 2", true),
    ...said(
      "m",
      "# Found\n\nIt **races**:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nmake\n```",
    ),
    END,
  );
  await server.postEvents(sessionId, "t2", BEGIN, ...called("read", "Read", { file_path: "a.rs" }));
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  await expect(page.getByLabel("Transcript", { exact: true })).toMatchAriaSnapshot(`
    - region "Transcript":
      - heading "Transcript" [level=2]
      - article:
        - text: You
        - time: just now
        - button "Copy as written"
        - button "Copy link"
        - text: Fix the test
      - article:
        - group: Thought Where does it wait?
      - article:
        - group: Run make test exit 2 ✕ failed
        - code: 1 failed exit code 2
      - article:
        - text: Agent
        - time: just now
        - button "Copy as written"
        - button "Copy link"
        - heading "Found" [level=3]
        - paragraph:
          - text: It
          - strong: races
          - text: ":"
        - list:
          - listitem:
            - paragraph: one
          - listitem:
            - paragraph: two
        - region "Table":
          - table:
            - rowgroup:
              - row "a b":
                - columnheader "a"
                - columnheader "b"
            - rowgroup:
              - row "1 2":
                - cell "1"
                - cell "2"
        - figure "sh Wrap Copy code":
          - button "Wrap"
          - button "Copy code"
          - code: make
      - paragraph: Completed · model · usage unknown
      - button "Show where the time of this turn went": Times
      - article:
        - group: /Read running/
      - paragraph: /Working/
      - button "Show where the time of this turn went": Times
  `);
});
