// The data of a dashboard. Grafana's JSON is generated from this data.

export interface Panel {
  readonly question: string
  readonly unit: 'short' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'cps' | 'reqps'
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  readonly says?: string
}

export interface DashboardSpec {
  readonly slug: string
  readonly title: string
  readonly panels: readonly Panel[]
}
