// Environment, version, and release. The span's own value comes first, then the value of its resource, then the value of its trace.
import { type BlockBuilder, type ByteSource, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import type { BrandNames } from '@svc-server/schema/brand'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import { createEnvironmentNames, type EnvironmentNames } from '../rules/environment-name.ts'
import { findFirst, firstOf, forColumn } from '../rules/rules.ts'
import { valueKind } from '../span-view/any-value.ts'
import { ByteMemo } from '../span-view/byte-memo.ts'
import { wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { type ColumnWriter, writeAttribute, writeFill } from './column-writer.ts'

export const environmentRules = forColumn('environment', attributesOf('environment'))
/** Rules that apply when no attribute contains the environment. */
export const recoveredEnvironmentRules = forColumn('environment', rulesOf('environment'))
export const versionRules = forColumn('version', attributesOf('version'))
export const releaseRules = forColumn('release', attributesOf('release'))

export function environmentColumns(block: BlockBuilder, brand: BrandNames): ColumnWriter {
  const environment = block.column('environment', LowCardinalityColumn)
  const version = block.column('version', StringColumn)
  const release = block.column('release', StringColumn)
  const environments = new Environments(brand)

  return (row, span) => {
    const { fill } = span.context
    const source = environments.said(span) ?? filledEnvironment(environments, span)
    environment.text(row, source, 0, source.bytes.length)
    const versionEntry = findFirst(span, versionRules)
    if (versionEntry >= 0) writeAttribute(version, row, span, versionEntry)
    else writeFill(version, row, span, 'version', fill?.version)
    const releaseEntry = findFirst(span, releaseRules)
    if (releaseEntry >= 0) writeAttribute(release, row, span, releaseEntry)
    else writeFill(release, row, span, 'release', fill?.release)
  }
}

function filledEnvironment(environments: Environments, span: SpanView): ByteSource {
  const filled = span.context.fill?.environment
  if (filled !== undefined) span.explanation?.found('environment', 'fill-in of the trace')
  return environments.normalized(filled ?? '')
}

// Maximum bytes of an environment name. The mapping treats a name with more bytes like an empty name, and cuts every other name to 40
// characters (contract §10.5). `propagateAttributes` of our SDK accepts at most 40 characters.
const maxRawBytes = 4096

/** Normalizes environment names, and caches the results. A project has only a few environments, so each name is usually normalized once. */
export class Environments {
  readonly #sources = new Map<string, ByteSource>()
  readonly #said = new ByteMemo((source, start, end) => this.normalized(wireText(source, start, end)))
  readonly #names: EnvironmentNames

  constructor(brand: BrandNames) {
    this.#names = createEnvironmentNames(brand)
  }

  /** Returns undefined if neither the span nor its resource has an environment. */
  said(span: SpanView): ByteSource | undefined {
    const entry = findFirst(span, environmentRules)
    if (entry >= 0) return this.of(span, entry)
    const recovered = firstOf(recoveredEnvironmentRules, span)
    return recovered === undefined ? undefined : this.normalized(recovered)
  }

  of(span: SpanView, entry: number): ByteSource {
    const { kinds, starts, ends } = span.attributes
    const readable = kinds[entry] === valueKind.text && ends[entry]! - starts[entry]! <= maxRawBytes
    return readable ? this.#said.of(span.source, starts[entry]!, ends[entry]!) : this.normalized('')
  }

  normalized(raw: string): ByteSource {
    const known = this.#sources.get(raw)
    if (known !== undefined) return known
    const source = sourceOf(this.#names.normalized(raw))
    if (this.#sources.size >= 1000) this.#sources.clear()
    this.#sources.set(raw, source)
    return source
  }
}
