// Converts a dashboard to JSON for Grafana. It uses Grafana's own builders.
import { DashboardBuilder, DatasourceVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries'
import type { DashboardSpec, Panel } from './panel.ts'

const datasource = { type: 'prometheus', uid: '${' + 'datasource}' }
const [width, height] = [12, 8]

function panelOf({ question, unit, queries, says }: Panel): PanelBuilder {
  const panel = new PanelBuilder().title(question).unit(unit).datasource(datasource).span(width).height(height).min(0)
  if (says !== undefined) panel.description(says)
  for (const { expr, legend } of queries) panel.withTarget(new DataqueryBuilder().expr(expr).legendFormat(legend).datasource(datasource))
  return panel
}

export function grafanaJson({ slug, title, panels }: DashboardSpec): string {
  const builder = new DashboardBuilder(title)
    .uid(`svc-${slug}`)
    .tags(['svc'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('datasource').type('prometheus').label('Prometheus'))
  for (const panel of panels) builder.withPanel(panelOf(panel))
  return `${JSON.stringify(builder.build(), null, 2)}\n`
}
