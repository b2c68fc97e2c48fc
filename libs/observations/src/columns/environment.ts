// Environment, version and release: of the span, else of its resource, else of its trace.
import { type BlockBuilder, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { type BrandNames, createBrandNames } from '@svc-server/schema'
import { valueKind } from '../attributes/any-value.ts'
import { wireText } from '../attributes/json-text.ts'
import { openRouterEnvironment } from '../dialects/openrouter.ts'
import { type AttributeRule, findFirst, firstOf, forColumn, type Rule, resourceAttribute, spanAttribute } from '../rules.ts'
import { type ColumnWriter, writeAttribute, writeFill } from './column-writer.ts'

export const environmentRules = forColumn<readonly AttributeRule[]>('environment', [
  spanAttribute('svc.environment'),
  resourceAttribute('svc.environment'),
  spanAttribute('deployment.environment.name'),
  resourceAttribute('deployment.environment.name'),
  spanAttribute('deployment.environment'),
  resourceAttribute('deployment.environment'),
])
/** Where no attribute says it. */
export const recoveredEnvironmentRules = forColumn<readonly Rule<string>[]>('environment', [
  openRouterEnvironment,
  { name: 'fill-in of the trace', read: span => span.context.fill?.environment },
])
export const versionRules = forColumn('version', [spanAttribute('svc.version', 'set'), resourceAttribute('service.version', 'set')])
export const releaseRules = forColumn('release', [spanAttribute('svc.release', 'set'), resourceAttribute('svc.release', 'set')])

const fallback = 'default'
const maxCharacters = 40
/** Environments whose names start with the brand are the product's own; a client cannot choose them. */
const reservedBy = (brands: readonly string[]) => new RegExp(`^(?:(?:${brands.join('|')})[-_]?)+`)
const reserved = reservedBy(createBrandNames().prefixes)
const valid = /^[a-z0-9-_]+$/
// A raw name longer than this has a repeated prefix beyond reason or is too long anyway: not worth a string.
const maxRawBytes = 4096

/** Normalised environment of public traffic: lower case, without a reserved prefix, at most 40 characters; `default` when nothing valid is left. */
export function normalizedEnvironment(raw: string, prefix: RegExp = reserved): string {
  const name = raw.toLowerCase().replace(prefix, '').slice(0, maxCharacters)
  return valid.test(name) ? name : fallback
}

export function environmentColumns(block: BlockBuilder, brand: BrandNames): ColumnWriter {
  const environment = block.column('environment', LowCardinalityColumn)
  const version = block.column('version', StringColumn)
  const release = block.column('release', StringColumn)
  const normalized = new EnvironmentCache(reservedBy(brand.prefixes))

  return (row, span) => {
    const { fill } = span.context
    const named = findFirst(span, environmentRules)
    if (named >= 0) {
      const { kinds, starts, ends } = span.attributes
      const text = kinds[named] === valueKind.text && ends[named]! - starts[named]! <= maxRawBytes
      const source = normalized.of(text ? wireText(span.source, starts[named]!, ends[named]!) : '')
      environment.text(row, source, 0, source.bytes.length)
    } else {
      const source = normalized.of(firstOf(recoveredEnvironmentRules, span) ?? '')
      environment.text(row, source, 0, source.bytes.length)
    }
    const versionEntry = findFirst(span, versionRules)
    if (versionEntry >= 0) writeAttribute(version, row, span, versionEntry)
    else writeFill(version, row, span, 'version', fill?.version)
    const releaseEntry = findFirst(span, releaseRules)
    if (releaseEntry >= 0) writeAttribute(release, row, span, releaseEntry)
    else writeFill(release, row, span, 'release', fill?.release)
  }
}

/** A project has a handful of environments; the two regular expressions run once for each. */
class EnvironmentCache {
  readonly #sources = new Map<string, ReturnType<typeof sourceOf>>()
  readonly #reserved: RegExp

  constructor(reserved: RegExp) {
    this.#reserved = reserved
  }

  of(raw: string): ReturnType<typeof sourceOf> {
    const known = this.#sources.get(raw)
    if (known !== undefined) return known
    const source = sourceOf(normalizedEnvironment(raw, this.#reserved))
    if (this.#sources.size >= 1000) this.#sources.clear()
    this.#sources.set(raw, source)
    return source
  }
}
