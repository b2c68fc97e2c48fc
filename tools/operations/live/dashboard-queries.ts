// Returns the queries of the dashboards as Grafana would send them.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

interface DashboardQuery {
  readonly dashboard: string
  readonly panel: string
  readonly expr: string
}

const folder = resolve(import.meta.dirname, '../../../deploy/helm/files/dashboards')

interface Json {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

export function dashboardQueries(over: { readonly rateInterval: string; readonly range: string }): readonly DashboardQuery[] {
  return readdirSync(folder).flatMap(file => {
    const { panels } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json
    return panels.flatMap(panel =>
      panel.targets.map(({ expr }) => ({
        dashboard: file.slice(0, -'.json'.length),
        panel: panel.title,
        expr: expr.replaceAll('$__rate_interval', over.rateInterval).replaceAll('$__range', over.range),
      })),
    )
  })
}
