/** The exit code of a command, where its output tells it. Agents write it before or after what the command wrote. */
const SAID =
  /^(?:Error: )?(?:Exit code:?|Process exited with code|(?:Command|Process)? ?exited with (?:code|status)) (-?\d{1,5})\b/im;
/** What agents write around an output is not long. */
const AROUND = 240;

export function exitCode(output: string): number | undefined {
  const found = SAID.exec(output.slice(0, AROUND)) ?? SAID.exec(output.slice(-AROUND));
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/** What stands below a first line that only tells the exit code. */
export function withoutExitCode(output: string): string {
  return output.replace(/^Exit code:? -?\d{1,5}\n+/, "");
}
