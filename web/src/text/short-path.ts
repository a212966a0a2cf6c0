/** The end of a path, which says most. */
const PARTS = 3;

export function shortPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length <= PARTS) return path;
  return `…/${parts.slice(-PARTS).join("/")}`;
}

export function lastPart(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}
