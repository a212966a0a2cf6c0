/** What takes a while says so; what is there at once does not flicker. */
const A_WHILE_MS = 400;

export async function sayIfSlow<T>(work: Promise<T>, say: () => void): Promise<T> {
  const timer = setTimeout(say, A_WHILE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
