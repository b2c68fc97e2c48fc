// Generates the documentation of metrics from their catalogs.
import { markdownTable } from '../text/markdown-table.ts'
import { anyValue, type LabelDefinitions, type MetricCatalog } from './definition.ts'

const printLabels = (labels: LabelDefinitions | undefined): string =>
  Object.entries(labels ?? {})
    .map(([name, domain]) => (domain === anyValue ? `\`${name}\`` : `\`${name}\`: ${domain.join(', ')}`))
    .join('; ')

/** Sorted by name. */
export const metricTable = (...catalogs: readonly MetricCatalog[]): string => {
  const byName = new Map(catalogs.flatMap(catalog => Object.values(catalog).map(metric => [metric.name, metric])))
  const rows = [...byName.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, labels, help }) => [`\`${name}\``, type, printLabels(labels), help])
  return markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)
}
