// A span as the catalogue sees it. One object for all spans; texts are decoded only when they decide
// something.

import { countedRecordBytes } from '@svc-server/otlp/work'
import { Amounts } from '@svc-server/pricing/amounts'
import type { SpanFacts } from '@svc-server/pricing/enrich'
import type { AttributeSource } from '@svc-server/pricing/tiers'
import { memberText, scalarText } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import type { UserMetadata } from '../metadata/user-metadata.ts'

export class PricedSpan implements SpanFacts {
  readonly usage = new Amounts()
  readonly providedCosts = new Amounts()
  projectId = ''
  modelName = ''
  startTimeUs = 0
  isError = false
  isCountable = true
  #span!: SpanView
  readonly #user: UserMetadata

  constructor(user: UserMetadata) {
    this.#user = user
  }

  /** Usage and costs have been read. `named`: the model is worth its text. */
  open(span: SpanView, named: boolean): void {
    this.#span = span
    this.projectId = span.context.batch.projectId
    this.modelName = named && span.modelName.present ? span.modelName.text() : ''
    this.startTimeUs = span.startUs
    this.isError = span.failed
    this.isCountable = span.end <= countedRecordBytes
  }

  text(side: 'input' | 'output'): string | undefined {
    const content = this.#span[side]
    return content.present ? content.text() : undefined
  }

  attribute(source: AttributeSource, key: string): string | undefined {
    if (source === 'metadata') return scalarText(this.#user.valueOf(this.#span, key))
    return memberText(this.#span.modelParameters.text(), key)
  }
}
