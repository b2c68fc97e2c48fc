// The metrics of all services. The page docs/metrics.md is generated from these metrics.
import { anyValue, type LabelDefinitions, type MetricCatalog, type MetricDefinition } from '../../libs/service/src/metrics/definition.ts'
import { createMetricRegistry } from '../../libs/service/src/metrics/index.ts'
import { components } from '../chart/components.ts'

export const services: readonly { readonly name: string; readonly metrics: MetricCatalog }[] = components.map(({ definition }) => ({
  name: definition.name,
  metrics: definition.metrics,
}))

const definitions: readonly MetricDefinition[] = services.flatMap(({ metrics }) => Object.values(metrics))

/** Counters that have no series before their first event. */
export const openCounters: ReadonlySet<string> = new Set(
  definitions.filter(({ type, labels = {} }) => type === 'counter' && Object.values(labels).includes(anyValue)).map(({ name }) => name),
)

/** Metrics that Prometheus itself adds. */
const ofPrometheus = ['up']

/** Returns the names of all metrics as Prometheus stores them, each with its labels. */
export async function storedNames(): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, readonly string[]>(ofPrometheus.map(name => [name, []]))
  const add = (name: string, type: string, labels: readonly string[]) => {
    if (type !== 'histogram') return void names.set(name, labels)
    names.set(`${name}_bucket`, [...labels, 'le'])
    for (const suffix of ['sum', 'count']) names.set(`${name}_${suffix}`, labels)
  }
  for (const { name, type, labels } of definitions) add(name, type, Object.keys(labels ?? {}))
  const page = await createMetricRegistry().render()
  for (const [, name, type] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const found = new RegExp(`^${name}(?:_bucket)?\\{(.*?)\\}`, 'm').exec(page)?.[1] ?? ''
    add(
      name!,
      type!,
      [...found.matchAll(/(\w+)="/g)].map(([, label]) => label!),
    )
  }
  return names
}

const domains = new Map<string, LabelDefinitions>()
for (const { name, labels = {} } of definitions) for (const suffix of ['', '_bucket', '_sum', '_count']) domains.set(name + suffix, labels)

/**
 * A label can have a fixed set of values. A selector with any other value never matches. Returns all selectors of the expression that never
 * match for this reason.
 */
export function strangeValuesOf(expression: string): readonly string[] {
  return [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name, selector]) =>
    [...selector!.matchAll(/(\w+)\s*(=~?)\s*"([^"]*)"/g)].flatMap(([, label, operator, value]) => {
      const domain = domains.get(name!)?.[label!]
      if (domain === undefined || domain === anyValue) return []
      const isKnown = (asked: string) =>
        domain.some(known => (operator === '=' ? known === asked : new RegExp(`^(?:${asked})$`).test(known)))
      const asked = operator === '=' ? [value!] : value!.split('|')
      return asked.filter(each => !isKnown(each)).map(each => `${name} never has ${label}="${each}"`)
    }),
  )
}

/**
 * Searches a text for names of metrics. Returns the names that look like metrics of this product but do not exist. Never returns a name
 * that ends with `_`, because such a name is the prefix of other names.
 */
export function strangeNamesOf(text: string, names: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const isKnown = (name: string) =>
    names.has(name) || names.has(`${name}_bucket`) || (name.endsWith('_') && [...names.keys()].some(of => of.startsWith(name)))
  const suffixes = /_(?:total|seconds|bytes|records|spans|ratio|halted|failed|info|requests|jobs|unusable|windows|repairs)$/
  return [
    ...new Set(
      text.match(
        /\bsvc_(?:gateway|api|writer|propagator|merger|backfill|tls|audit|ledger|row|sdk|log|complete|unaccounted|dead|deletions)\w*/g,
      ),
    ),
  ].filter(name => suffixes.test(name) && !isKnown(name))
}

/** Labels that Prometheus adds when it scrapes. */
const ofScraping = ['job', 'instance', 'namespace', 'pod', 'container', 'service']
const words = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'and', 'or', 'unless', 'bool', 'offset', 'le'])

/** Checks a PromQL expression. Returns the metrics and labels that the expression names but no service has. */
export function faultsOf(expression: string, names: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const faults: string[] = []
  const groupings = [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list]) => list!.split(','))
  const bare = expression.replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ').replaceAll(/"[^"]*"/g, '""')
  const used = [...bare.matchAll(/\b([a-z_][a-z0-9_]*)\b(?!\s*\()(?:\s*\{([^}]*)\})?/g)].filter(([, name]) => !words.has(name!))
  const all = new Set<string>(ofScraping)
  for (const [, name, selector = ''] of used) {
    // Skips the labels in selectors, because the loop over `selector` checks them. Skips the units of ranges, such as `m` in `[5m]`.
    if (new RegExp(`[{,]\\s*${name}\\s*[=!]`).test(bare) || /^(?:s|m|h|d|w)$/.test(name!)) continue
    const labels = names.get(name!)
    if (labels === undefined) {
      faults.push(`no metric ${name}`)
      continue
    }
    for (const label of labels) all.add(label)
    for (const [, label] of selector.matchAll(/(\w+)\s*[=!]/g)) {
      if (!labels.includes(label!) && !ofScraping.includes(label!)) faults.push(`${name} has no label ${label}`)
    }
  }
  for (const label of groupings.map(each => each.trim()))
    if (label !== '' && !all.has(label)) faults.push(`no metric here has the label ${label}`)
  return faults
}
