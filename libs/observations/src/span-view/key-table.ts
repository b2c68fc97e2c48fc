// Gives each attribute key a number, and determines the meaning of each key once. A declared key has a fixed number. Any other key gets the
// next free number when it first occurs.
import { ByteDictionary, type ByteSource, ByteWriter, byteSource, createBufferPool, sourceOf } from '@svc-server/column-store/native'
import { readUsageName, type UsageName } from '@svc-server/pricing/usage-name'
import { type BrandNames, createBrandNames } from '@svc-server/schema/brand'
import { wireText } from './json-text.ts'
import { type KeyPath, keyPath } from './key-path.ts'
import { closeKeys, isContentKey, isKnownKey, leavesMetadata } from './keys.ts'
import { keyFlag, type PrefixMeaning, usageFlags, type Vocabulary } from './vocabulary.ts'

/**
 * Top-level names of the system metadata in a row, as opposed to the names of the user's metadata. The position of a name in this list is
 * its number in `metadataNames`.
 */
export const systemGroups = ['attributes', 'resourceAttributes', 'scope'] as const

const userMetadata = keyFlag.observationMetadata | keyFlag.traceMetadata

/** Number of leading bytes of a key that determine its meaning. */
const maxMeaningBytes = 256

/** Maximum length of a key whose path is cached. Clients choose the keys, and the paths of long keys would take much memory. */
const maxKeptPath = 256

/**
 * Clients choose the keys, so the number of keys has no bound. If the table has more than `maxLearned` keys, or more than `maxLearned`
 * metadata names, `trim` forgets all undeclared keys and names before the next chunk.
 */
const maxLearned = 50_000

export class KeyTable {
  readonly keys = new ByteDictionary()
  /** Names of values in the user's metadata. For example, the key `svc.trace.metadata.team` consists of a prefix and the name `team`. */
  readonly metadataNames = new ByteDictionary()
  #flags = new Uint32Array(1024)
  /** Maps a key's number to the position of its prefix in the vocabulary, plus 1. The value 0 means that the key has no prefix. */
  #prefixes = new Uint8Array(1024)
  /** A key such as `svc.metadata.plan` contains a metadata name (`plan`). Maps the key's number to the name's number in `metadataNames`. */
  #nameNumbers = new Int32Array(1024)
  /** Maps the number of a model parameter's key to the parameter's name as a JSON string. */
  readonly #parameterNames = new Map<number, Uint8Array>()
  readonly #vocabulary: Vocabulary
  readonly #knownKeys: readonly string[]
  readonly #usageNames = new Map<number, UsageName>()
  readonly #paths = new Map<number, KeyPath>()
  readonly #scratch = new ByteWriter(createBufferPool(0), { contiguous: true })

  /** Brands that SDKs can use instead of the product's own. */
  readonly brand: BrandNames
  /** Maps the number of an alias to the number of the key with our own brand. Other numbers map to themselves. */
  #canonical = new Int32Array(1024)

  constructor(vocabulary: Vocabulary, brand: BrandNames = createBrandNames()) {
    this.#vocabulary = vocabulary
    this.#knownKeys = closeKeys()
    this.brand = brand
    this.#learnKnown()
  }

  #learnKnown(): void {
    for (const name of [...systemGroups, 'tools']) {
      const source = sourceOf(name)
      this.metadataNames.add(source, 0, source.bytes.length)
    }
    for (const key of this.#knownKeys) {
      const source = sourceOf(key)
      this.numberOf(source, 0, source.bytes.length)
    }
  }

  /** This number changes when `trim` forgets keys, so that other code can detect that its key numbers are outdated. */
  generation = 0

  /** Must be called only between chunks, because key numbers can become invalid. */
  trim(): void {
    if (this.keys.size <= maxLearned && this.metadataNames.size <= maxLearned) return
    this.generation++
    this.keys.clear()
    this.metadataNames.clear()
    this.#parameterNames.clear()
    this.#usageNames.clear()
    this.#paths.clear()
    this.#learnKnown()
  }

  get size(): number {
    return this.keys.size
  }

  numberOf(source: ByteSource, start: number, end: number): number {
    const known = this.keys.size
    const number = this.keys.add(source, start, end)
    if (number === known) this.#learn(number, source, start, end)
    return number
  }

  is(number: number, source: ByteSource, start: number, end: number): boolean {
    return this.keys.equals(number, source, start, end)
  }

  /** If the table treats the key as an alias of a key with our own brand, returns the number of that key. Otherwise returns `number`. */
  canonical(number: number): number {
    return this.#canonical[number]!
  }

  flags(number: number): number {
    return this.#flags[number]!
  }

  prefixLength(number: number): number {
    return this.#meaning(number)?.prefix.length ?? 0
  }

  #meaning(number: number): PrefixMeaning | undefined {
    return this.#vocabulary.prefixes[this.#prefixes[number]! - 1]
  }

  /** If several keys set the same name in the user's metadata, the key with the smallest rank wins. */
  prefixRank(number: number): number {
    return this.#prefixes[number]!
  }

  metadataName(number: number): number {
    return this.#nameNumbers[number]!
  }

  nameOf(number: number): string {
    const out = this.#scratch
    out.rewind()
    this.keys.writeTo(out, number)
    return wireText(out, 0, out.length)
  }

  /** Paths are cached, because every span of an exporter has the same keys. */
  pathOf(number: number): KeyPath {
    const known = this.#paths.get(number)
    if (known !== undefined) return known
    const name = this.nameOf(number)
    const path = keyPath(name.slice(this.prefixLength(number)))
    if (name.length <= maxKeptPath) this.#paths.set(number, path)
    return path
  }

  /** Writes the parameter's name as a JSON string. */
  writeParameterName(out: ByteWriter, number: number): void {
    const name = this.#parameterNames.get(number)!
    out.raw(name, 0, name.length)
  }

  /** Must be called only for a key with one of the `usageFlags`. */
  usageName(number: number): UsageName {
    return this.#usageNames.get(number)!
  }

  /** Returns the key that sets the same parameter and overrides the given key. Returns -1 if there is no such key. */
  overridingKey(number: number): number {
    const { prefix, overriddenBy } = this.#meaning(number) ?? {}
    if (prefix === undefined || overriddenBy === undefined) return -1
    const source = sourceOf(overriddenBy + this.nameOf(number).slice(prefix.length))
    return this.keys.find(source, 0, source.bytes.length)
  }

  #learn(number: number, source: ByteSource, start: number, end: number): void {
    if (number >= this.#flags.length) this.#grow()
    const canonical = this.brand.aliased ? this.#learnAlias(number, source, start, end) : number
    this.#canonical[number] = canonical
    const text = Buffer.from(source.bytes.buffer, source.bytes.byteOffset + start, Math.min(end - start, maxMeaningBytes)).toString(
      'latin1',
    )
    const { prefixes, patterns, also } = this.#vocabulary
    const place = prefixes.findIndex(({ prefix, except = [] }) => text.startsWith(prefix) && !except.includes(text.slice(prefix.length)))
    const found = prefixes[place]
    const pattern = found === undefined ? patterns.find(({ pattern }) => pattern.test(text)) : undefined
    let flags = (found ?? pattern)?.flags ?? 0
    for (const meaning of also) if (meaning.pattern.test(text)) flags |= meaning.flags
    this.#flags[number] = flags | (leavesMetadata(text) ? keyFlag.leaves : 0) | (isContentKey(text) ? keyFlag.content : 0)
    this.#prefixes[number] = found === undefined ? 0 : place + 1
    const nameStart = start + (found?.prefix.length ?? 0)
    if ((flags & usageFlags) !== 0) {
      const name = wireText(source, nameStart, Math.min(end, nameStart + maxMeaningBytes))
      // If the vocabulary gives the flag `money` to the key, the key always names an amount of money. But `name` can lack a word for money,
      // so the word `cost` is added for `readUsageName`.
      const read = readUsageName((flags & keyFlag.money) === 0 ? name : `cost.${pattern?.nameOf?.(name) ?? name}`)
      this.#usageNames.set(number, read)
      if (read.kind === 'money') this.#flags[number]! |= keyFlag.money
    }
    if (found === undefined) return
    if ((flags & userMetadata) !== 0) this.#nameNumbers[number] = this.metadataNames.add(source, nameStart, end)
    if ((flags & keyFlag.modelParameter) !== 0) {
      this.#parameterNames.set(number, Buffer.from(JSON.stringify(wireText(source, nameStart, end))))
    }
  }

  /**
   * Finds the product's own key for a key that uses another brand's name. Reads the whole key, because the part after the brand's name can
   * be long.
   */
  #learnAlias(number: number, source: ByteSource, start: number, end: number): number {
    const text = Buffer.from(source.bytes.buffer, source.bytes.byteOffset + start, end - start).toString('latin1')
    if (this.#isOfDialect(text)) return number
    const ours = this.brand.key(text, isKnownKey)
    if (ours === undefined) return number
    const renamed = byteSource(Buffer.from(ours, 'latin1'))
    return this.numberOf(renamed, 0, renamed.bytes.length)
  }

  /**
   * True if the key belongs to a dialect. A key belongs to a dialect if the dialect declares the key itself. A key also belongs to a
   * dialect if the dialect declares a prefix that begins with a brand alias, and the key begins with this prefix. The table must not treat
   * such a key as an alias of one of the product's own keys. Otherwise, the two keys would have the same canonical number.
   */
  #isOfDialect(text: string): boolean {
    if (isKnownKey(text)) return true
    const { brand } = this
    return this.#vocabulary.prefixes.some(({ prefix }) => text.startsWith(prefix) && brand.key(prefix, isKnownKey) !== undefined)
  }

  #grow(): void {
    const grow = <T extends Uint8Array | Uint32Array | Int32Array>(old: T): T => {
      const next = new (old.constructor as new (length: number) => T)(old.length * 2)
      next.set(old)
      return next
    }
    this.#flags = grow(this.#flags)
    this.#canonical = grow(this.#canonical)
    this.#prefixes = grow(this.#prefixes)
    this.#nameNumbers = grow(this.#nameNumbers)
  }
}
