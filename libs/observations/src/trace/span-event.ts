// Creates an event of the legacy data model (contract §10.14). The event contains what one span states about its trace. The rules that fill
// the columns of the span's row also find the values of the event.
import type { BrandNames } from '@svc-server/schema/brand'
import { Environments, releaseRules, versionRules } from '../columns/environment.ts'
import { readInputOutput } from '../columns/input-output.ts'
import { readName } from '../columns/name.ts'
import { SpanMetadata } from '../columns/span-metadata.ts'
import { writeTags } from '../columns/tags.ts'
import { asRootRules, publicRules, sessionRules, tagRules, traceNameRules, userRules } from '../columns/trace.ts'
import { readTraceText } from '../columns/trace-text.ts'
import { type AttributeRule, findFirst, spanAttributes } from '../rules/rules.ts'
import { isTrue } from '../rules/words.ts'
import { Content } from '../span-view/content.ts'
import { wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'

/** If the span does not state a value, the member is absent. */
export interface SpanTraceEvent {
  /** Position in the request. */
  readonly index: number
  readonly spanId: string
  readonly startUs: number
  /**
   * True if the span is a root or states a value for its trace. If false, `environment` is the only optional member that can be present.
   */
  readonly isFull: boolean
  /** True if the span has no parent on the wire. */
  readonly isParentless: boolean
  readonly name?: string
  readonly userId?: string
  readonly sessionId?: string
  readonly release?: string
  readonly version?: string
  readonly environment?: string
  readonly public?: boolean
  readonly tags?: readonly string[]
  readonly input?: string
  readonly output?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

const traceInput = spanAttributes('truthy', 'svc.trace.input')
const traceOutput = spanAttributes('truthy', 'svc.trace.output')
/**
 * A span gets a full event (`isFull`) only if one of three conditions holds. The span is a root, one of its keys begins with a prefix of
 * trace metadata (such as `svc.trace.metadata.`), or one of these rules finds an attribute in the span.
 */
const speaking: readonly (readonly AttributeRule[])[] = [
  userRules,
  sessionRules,
  tagRules,
  traceNameRules,
  publicRules,
  traceInput,
  traceOutput,
  spanAttributes('set', 'svc.trace.metadata'),
]

type Growing = { -readonly [Key in keyof SpanTraceEvent]: SpanTraceEvent[Key] }

export class SpanEvents {
  readonly #text = new Content()
  readonly #environments: Environments
  readonly #metadata = new SpanMetadata()

  constructor(brand: BrandNames) {
    this.#environments = new Environments(brand)
  }

  shallow(span: SpanView): SpanTraceEvent {
    const event: Growing = {
      index: span.index,
      spanId: Buffer.from(span.source.bytes.subarray(span.spanId, span.spanId + 8)).toString('hex'),
      startUs: span.startUs,
      isFull: false,
      isParentless: span.parentSpanId < 0,
    }
    const environment = this.#environments.said(span)
    if (environment !== undefined) event.environment = wireText(environment, 0, environment.bytes.length)
    return event
  }

  full(span: SpanView): SpanTraceEvent {
    const event: Growing = { ...this.shallow(span), isFull: true }
    const root = isRoot(span)
    this.#read(event, 'name', span, traceNameRules)
    this.#read(event, 'userId', span, userRules)
    this.#read(event, 'sessionId', span, sessionRules)
    this.#read(event, 'release', span, releaseRules)
    this.#read(event, 'version', span, versionRules)
    this.#read(event, 'input', span, traceInput)
    this.#read(event, 'output', span, traceOutput)
    const isPublic = findFirst(span, publicRules)
    if (isPublic >= 0) event.public = isTrue(span, isPublic)
    const tags = findFirst(span, tagRules)
    if (tags >= 0) event.tags = tagsOf(span, tags)
    if (root) this.#readRoot(event, span)
    event.metadata = this.#metadata.of(span, root)
    return event
  }

  #read(
    event: Growing,
    field: 'name' | 'userId' | 'sessionId' | 'release' | 'version' | 'input' | 'output',
    span: SpanView,
    rules: readonly AttributeRule[],
  ) {
    const entry = findFirst(span, rules)
    if (entry < 0) return
    readTraceText(this.#text, span, entry)
    if (this.#text.end > this.#text.start) event[field] = this.#text.text()
  }

  /** A root supplies the name, input, or output that its trace lacks. */
  #readRoot(event: Growing, span: SpanView): void {
    if (event.name === undefined) {
      readName(this.#text, span)
      event.name = this.#text.text()
    }
    if (event.input !== undefined && event.output !== undefined) return
    readInputOutput(-1, span)
    if (event.input === undefined && isSaid(span.input)) event.input = span.input.text()
    if (event.output === undefined && isSaid(span.output)) event.output = span.output.text()
  }
}

const isSaid = ({ present, start, end }: Content): boolean => present && end > start

const isRoot = (span: SpanView): boolean => span.parentSpanId < 0 || isTrue(span, findFirst(span, asRootRules))

/** True if the trace needs data of the span that the method `shallow` does not read, such as the name of the trace. */
export function speaksOfTrace(span: SpanView): boolean {
  if (isRoot(span) || (span.attributes.seenFlags & keyFlag.traceMetadata) !== 0) return true
  return speaking.some(rules => findFirst(span, rules) >= 0)
}

function tagsOf(span: SpanView, entry: number): readonly string[] {
  const tags: string[] = []
  const push = (tag: string) => {
    if (tag !== '') tags.push(tag)
  }
  writeTags({ string: push, text: (source, start, end) => push(wireText(source, start, end)) }, span, entry)
  return tags
}
