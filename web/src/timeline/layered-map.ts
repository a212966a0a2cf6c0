/**
 * A map that is never changed: setting gives the next one.
 *
 * What was set lately lies in a small layer above the rest, so that the next map costs a copy of that layer and not of
 * everything. Pure.
 */

/** How many entries the upper layer holds before it sinks into the lower one. */
const LAYER = 64;

export class LayeredMap<Key, Value> implements ReadonlyMap<Key, Value> {
  private constructor(
    private readonly below: ReadonlyMap<Key, Value>,
    private readonly above: ReadonlyMap<Key, Value>,
    readonly size: number,
  ) {}

  static of<Key, Value>(entries: Iterable<readonly [Key, Value]> = []): LayeredMap<Key, Value> {
    const below = new Map(entries);
    return new LayeredMap(below, new Map(), below.size);
  }

  with(entries: readonly (readonly [Key, Value])[]): LayeredMap<Key, Value> {
    if (entries.length === 0) return this;
    const above = new Map(this.above);
    let { size } = this;
    for (const [key, value] of entries) {
      if (!this.below.has(key) && !above.has(key)) size += 1;
      above.set(key, value);
    }
    return above.size <= LAYER
      ? new LayeredMap(this.below, above, size)
      : LayeredMap.of([...this.below, ...above]);
  }

  get(key: Key): Value | undefined {
    return this.above.get(key) ?? this.below.get(key);
  }

  has(key: Key): boolean {
    return this.above.has(key) || this.below.has(key);
  }

  *entries(): MapIterator<[Key, Value]> {
    for (const [key, value] of this.below) yield [key, this.above.get(key) ?? value];
    for (const [key, value] of this.above) if (!this.below.has(key)) yield [key, value];
  }

  *keys(): MapIterator<Key> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  forEach(work: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this) work(value, key, this);
  }
}
