/** The page stays light: what is not needed at once is fetched later. */
import { FIRST_LOAD_KB, firstLoad, kilobytesOf } from "./first-load";
import { expect, test } from "./fixtures";

test("scripts and styles of the first load are few kilobytes", async ({ server }) => {
  const fetched = await firstLoad(server.origin);
  expect(fetched.map(({ kind }) => kind).toSorted()).toEqual(["script", "styles"]);
  expect(kilobytesOf(fetched)).toBeLessThanOrEqual(FIRST_LOAD_KB);
});
