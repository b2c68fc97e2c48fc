// What a dashboard is before it is Grafana's JSON.

export interface Panel {
  readonly question: string
  readonly unit: 'short' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'cps' | 'reqps'
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** What a reader has to know to judge it. */
  readonly says?: string
}

export interface DashboardSpec {
  readonly slug: string
  readonly title: string
  readonly panels: readonly Panel[]
}
