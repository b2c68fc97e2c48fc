// Queries that many panels share.

export const rate = (metric: string, by = '', selector = ''): string =>
  `sum${by && ` by (${by})`} (rate(${metric}${selector && `{${selector}}`}[$__rate_interval]))`
export const quantile = (share: number, metric: string, by = ''): string =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[$__rate_interval])))`
export const quantiles = (metric: string) => [0.5, 0.95, 0.99].map(share => ({ expr: quantile(share, metric), legend: `p${share * 100}` }))
export const one = (expr: string, legend: string) => [{ expr, legend }]
