/**
 * Adds up the series of a metric on a metrics page, but only the series with these `labels`. If `labels` is a text, adds up only the series
 * whose line contains this text.
 */
export function metricSum(page: string, name: string, labels: string | Readonly<Record<string, string>> = {}): number {
  const wanted = typeof labels === 'string' ? [labels] : Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const series = page.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const chosen = series.filter(line => wanted.every(text => line.includes(text)))
  return chosen.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
