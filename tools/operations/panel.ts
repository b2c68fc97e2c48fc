// A dashboard as data, which is then converted to Grafana's JSON.

export interface Panel {
  readonly question: string
  readonly unit: 'short' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'cps' | 'reqps'
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** What a reader needs to know to interpret the panel. */
  readonly says?: string
}

export interface DashboardSpec {
  readonly slug: string
  readonly title: string
  readonly panels: readonly Panel[]
}
