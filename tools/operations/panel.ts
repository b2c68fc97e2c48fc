// The data of a dashboard, before the data is converted to Grafana's JSON.

export interface Panel {
  readonly question: string
  readonly unit: 'short' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'cps' | 'reqps'
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** Context that a reader needs to interpret the panel. */
  readonly says?: string
}

export interface DashboardSpec {
  readonly slug: string
  readonly title: string
  readonly panels: readonly Panel[]
}
