// Collects the values that a record's spans state about their traces. The module finds these values with the rules that fill the columns of
// the rows. If these rules find a value in a span, the span's row keeps this value and ignores the value of the trace.
import { sourceOf } from '@svc-server/column-store/native'
import type { BrandNames } from '@svc-server/schema/brand'
import type { TraceCandidate, TraceCandidates } from '@svc-server/schema/trace-candidates'
import { Environments, environmentRules, recoveredEnvironmentRules, releaseRules, versionRules } from '../columns/environment.ts'
import { readName } from '../columns/name.ts'
import { writeTags } from '../columns/tags.ts'
import { publicRules, sessionRules, tagRules, traceNameRules, userRules } from '../columns/trace.ts'
import { readTraceText } from '../columns/trace-text.ts'
import { type AttributeRule, findFirst, firstOf } from '../rules/rules.ts'
import { isTrue } from '../rules/words.ts'
import { declaredKeys, keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { noCandidates } from './join.ts'
import { isMarkedRoot, isParentless } from './roots.ts'
import { StrongestCandidate } from './strongest-candidate.ts'
import { TagSet } from './tag-set.ts'

/** A longer value is not propagated, because the propagator stores each value for two days. Real names and ids are shorter. */
export const maxValueBytes = 4096

const explicitKeys = new Uint8Array(declaredKeys().length)
for (const key of declaredKeys()) if (key.startsWith('svc.trace.')) explicitKeys[keyNumber(key)] = 1

const truth = { true: sourceOf('true'), false: sourceOf('false') } as const

export class CandidatesOfSpans {
  /** Number of values and tags dropped since `clear`, because they were too long or too many. */
  cut = 0
  #rootSeen = false
  readonly #name = new StrongestCandidate('name')
  readonly #userId = new StrongestCandidate('userId')
  readonly #sessionId = new StrongestCandidate('sessionId')
  readonly #release = new StrongestCandidate('release')
  readonly #version = new StrongestCandidate('version')
  readonly #environment = new StrongestCandidate('environment')
  readonly #public = new StrongestCandidate('public')
  readonly #all = [this.#name, this.#userId, this.#sessionId, this.#release, this.#version, this.#environment, this.#public]
  readonly #tags = new TagSet()
  readonly #environments: Environments
  /** The value that was last read as tags. Nearly all spans of a trace have the same tags, so the tags of most spans need not be read. */
  readonly #lastTags = { key: -1, kind: 0, jsonMetadata: false, start: 0, end: 0 }

  constructor(brand: BrandNames) {
    this.#environments = new Environments(brand)
  }

  /** Must be called between two records, because a position is valid only within one record. */
  clear(): void {
    this.cut = 0
    this.#rootSeen = false
    this.#lastTags.key = -1
    for (const held of this.#all) held.clear()
    this.#tags.clear()
  }

  add(span: SpanView): void {
    const root = isParentless(span)
    // `marked` is true for a span that has a parent, but is marked as root. Such a span describes only its subtree. For all fields except
    // the name, the values of such a span count as explicit: they precede the non-explicit values of other spans with a parent. For these
    // fields, the values of a span without a parent precede all other values (`strength`).
    const marked = !root && isMarkedRoot(span)
    if (root || marked) this.#rootSeen = true
    this.#addText(this.#userId, span, root, marked, userRules)
    this.#addText(this.#sessionId, span, root, marked, sessionRules)
    this.#addText(this.#release, span, root, marked, releaseRules)
    this.#addText(this.#version, span, root, marked, versionRules)
    if (!this.#addText(this.#name, span, root, false, traceNameRules) && (root || marked)) this.#addRootName(span, root)
    this.#addEnvironment(span, root, marked)
    this.#addPublic(span, root, marked)
    this.#addTags(span)
  }

  /** Returns false if the span states no value. */
  #addText(held: StrongestCandidate, span: SpanView, root: boolean, marked: boolean, rules: readonly AttributeRule[]): boolean {
    const entry = findFirst(span, rules)
    if (entry < 0) return false
    const explicit = marked || isExplicit(span, entry)
    if (!held.takes(span, root, explicit)) return true
    readTraceText(held.next, span, entry)
    this.#keep(held, span, root, explicit)
    return true
  }

  /** A trace without a name gets the name of its root span, as in v3. */
  #addRootName(span: SpanView, root: boolean): void {
    if (!this.#name.takes(span, root, false)) return
    readName(this.#name.next, span)
    this.#keep(this.#name, span, root, false)
  }

  #addEnvironment(span: SpanView, root: boolean, marked: boolean): void {
    const entry = findFirst(span, environmentRules)
    const recovered = entry < 0 ? firstOf(recoveredEnvironmentRules, span) : undefined
    if ((entry < 0 && recovered === undefined) || !this.#environment.takes(span, root, marked)) return
    const source = recovered === undefined ? this.#environments.of(span, entry) : this.#environments.normalized(recovered)
    this.#environment.next.range(source, 0, source.bytes.length)
    this.#keep(this.#environment, span, root, marked)
  }

  #addPublic(span: SpanView, root: boolean, marked: boolean): void {
    const entry = findFirst(span, publicRules)
    if (entry < 0) return
    const explicit = marked || isExplicit(span, entry)
    if (!this.#public.takes(span, root, explicit)) return
    const source = isTrue(span, entry) ? truth.true : truth.false
    this.#public.next.range(source, 0, source.bytes.length)
    this.#keep(this.#public, span, root, explicit)
  }

  /** Ignores a value that is too long or empty. If an empty value won, it would only hide the values of other spans. */
  #keep(held: StrongestCandidate, span: SpanView, root: boolean, explicit: boolean): void {
    const length = held.next.end - held.next.start
    if (length > maxValueBytes) this.cut++
    else if (length > 0) held.keep(span, root, explicit)
  }

  #addTags(span: SpanView): void {
    const entry = findFirst(span, tagRules)
    if (entry < 0 || this.#isRepeated(span, entry)) return
    writeTags(this.#tags, span, entry)
  }

  #isRepeated({ source, attributes, jsonMetadata }: SpanView, entry: number): boolean {
    const last = this.#lastTags
    const key = attributes.keys[entry]!
    const kind = attributes.kinds[entry]!
    const start = attributes.starts[entry]!
    const end = attributes.ends[entry]!
    const same = last.key === key && last.kind === kind && last.jsonMetadata === jsonMetadata
    if (same && isSame(source.bytes, last.start, last.end, start, end)) return true
    last.key = key
    last.kind = kind
    last.jsonMetadata = jsonMetadata
    last.start = start
    last.end = end
    return false
  }

  /** Returns the candidates from all spans since the last call of `clear`. `bytes` is the request that contains the spans. */
  candidates(bytes: Uint8Array): TraceCandidates {
    const tags = this.#tags.take()
    this.cut += this.#tags.cut
    this.#tags.clear()
    const winners: TraceCandidate[] = []
    for (const held of this.#all) {
      const candidate = held.candidate(bytes)
      if (candidate !== undefined) winners.push(candidate)
    }
    return winners.length === 0 && tags.length === 0 && !this.#rootSeen ? noCandidates : { winners, tags, rootSeen: this.#rootSeen }
  }
}

/** True if the attribute describes the trace rather than a span or a service. */
const isExplicit = ({ attributes }: SpanView, entry: number): boolean => explicitKeys[attributes.keys[entry]!] === 1

function isSame(bytes: Uint8Array, aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  if (aEnd - aStart !== bEnd - bStart) return false
  for (let a = aStart, b = bStart; a < aEnd; a++, b++) if (bytes[a] !== bytes[b]) return false
  return true
}
