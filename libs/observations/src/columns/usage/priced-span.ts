// A span as the catalog sees it. One object serves all spans, one after another. The object decodes a text only when the text is needed.

import { countedRecordBytes, createWorkMeter, type WorkMeter } from '@svc-server/otlp/work'
import { Amounts } from '@svc-server/pricing/amounts'
import type { SpanFacts } from '@svc-server/pricing/enrich'
import { SaidUsage } from '@svc-server/pricing/said-usage'
import type { AttributeSource } from '@svc-server/pricing/tiers'
import { rulesOf } from '../../dialects/registry.ts'
import { isTierKey, type TierRule } from '../../rules/served-tier.ts'
import { ByteMemo } from '../../span-view/byte-memo.ts'
import type { Content } from '../../span-view/content.ts'
import { MemberTexts, scalarText, wireText } from '../../span-view/json-text.ts'
import type { RecordContext, SpanView } from '../../span-view/span-view.ts'
import type { UserMetadata } from '../metadata/user-metadata.ts'

const servedRules = rulesOf('served')
const askedRules = rulesOf('asked')

/**
 * Maximum bytes of input and output together, for a span that has `wireBytes` on the wire. The tokens of longer texts are not counted.
 * Without this limit, a few bytes on the wire could become a long text: the key `gen_ai.prompt.9999.content` alone becomes a list with
 * 10,000 entries.
 */
const grownBytes = (wireBytes: number) => 2 * wireBytes + 1024
const lengthOf = ({ present, start, end }: Content) => (present ? end - start : 0)

export class PricedSpan implements SpanFacts {
  readonly usage = new Amounts()
  /** What the span reports. `said` is null if there are no counts. */
  readonly counts = new SaidUsage()
  said: SaidUsage | null = null
  readonly providedCosts = new Amounts()
  projectId = ''
  modelName = ''
  startTimeUs = 0
  isError = false
  #span!: SpanView
  #askedKey = ''
  #askedTier: string | undefined
  readonly #user: UserMetadata
  /** Thousands of price tiers can have conditions on the model's parameters. The parameters are therefore parsed once, on first use. */
  #parameters: MemberTexts | null = null
  readonly #names = new ByteMemo(wireText)
  readonly #knownParameters = new ByteMemo(() => new MemberTexts())

  /** The record of `#meter`. The meter is created at the record's first span that meets the first two requirements of `isCountable`. */
  #metered: RecordContext | null = null
  #meter!: WorkMeter

  constructor(user: UserMetadata) {
    this.#user = user
  }

  /** Must run after usage and costs have been read. If `named` is false, `modelName` is not needed and becomes empty. */
  open(span: SpanView, named: boolean): void {
    this.#span = span
    this.#parameters = null
    this.#askedKey = ''
    this.projectId = span.context.batch.projectId
    const { present, source, start, end } = span.modelName
    this.modelName = named && present ? this.#names.of(source, start, end) : ''
    this.startTimeUs = span.startUs
    this.isError = span.failed
  }

  /**
   * True if the server can count the span's tokens. This requires three things: the span ends within the first `countedRecordBytes` bytes
   * of the record; the input and output together do not exceed a limit that grows with the span's size; the work meter selects the span.
   * The gateway uses the same work meter. For token counting, the gateway charged the project only for the spans that the meter selects.
   */
  get isCountable(): boolean {
    const { context, source, scopeName, end, wireBytes, input, output } = this.#span
    if (end > countedRecordBytes || lengthOf(input) + lengthOf(output) > grownBytes(wireBytes)) return false
    if (this.#metered !== context) {
      this.#metered = context
      this.#meter = createWorkMeter(source.bytes)
    }
    this.#meter.within(scopeName)
    return this.#meter.isCountedSpan(end - wireBytes, end)
  }

  text(side: 'input' | 'output'): string | undefined {
    const content = this.#span[side]
    return content.present ? content.text() : undefined
  }

  attribute(source: AttributeSource, key: string): string | undefined {
    if (source === 'metadata') return scalarText(this.#user.valueOf(this.#span, key))
    if (!isTierKey(key)) return this.#parameter(key)
    // All tiers of a model look up the same key, so the last result is cached.
    if (this.#askedKey !== key) {
      this.#askedKey = key
      this.#askedTier = this.#tier(servedRules, key) ?? this.#parameter(key) ?? this.#tier(askedRules, key)
    }
    return this.#askedTier
  }

  #tier(rules: readonly TierRule[], key: Parameters<TierRule['read']>[1]): string | undefined {
    for (let i = 0; i < rules.length; i++) {
      const said = rules[i]!.read(this.#span, key)
      if (said !== undefined) return said
    }
    return undefined
  }

  #parameter(key: string): string | undefined {
    const content = this.#span.modelParameters
    this.#parameters ??= this.#knownParameters.of(content.source, content.start, content.end)
    return this.#parameters.get(key, () => content.text())
  }
}
