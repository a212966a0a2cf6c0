/** Amounts as people say them. */

/** 950, 1.2k, 62k, 1.5M: as exact as it has to be. */
export function about(amount: number): string {
  if (amount < 1_000) return String(Math.round(amount));
  const [unit, size] = amount < 999_500 ? ["k", 1_000] : ["M", 1_000_000];
  const value = amount / size;
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

export function byteSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024).toLocaleString("en")} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

export function counted(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? one : many}`;
}

/** Nothing where nothing is known to have been paid; a little is not nothing. */
export function dollars(amount: number | undefined): string | undefined {
  if (amount === undefined || amount <= 0) return undefined;
  return amount < 0.005 ? "less than $0.01" : `$${amount.toFixed(2)}`;
}
