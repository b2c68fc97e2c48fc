// Generates docs/dashboards.md and docs/runbooks/alerts.md from the data.
import { markdownTable } from '../../libs/service/src/text/markdown-table.ts'
import { alerts } from './alerts.ts'
import { dashboards } from './dashboards/index.ts'
import { notProvoked, provokedBy } from './live/seen-live.ts'
import { runbookOf } from './rules.ts'

const dashboardsPreamble = `# Dashboards

Made by a test from \`tools/operations/dashboards\`, as is the JSON in \`deploy/helm/files/dashboards\`, which the chart brings as ConfigMaps and compose to its Grafana. Each panel answers the
question in its title. Every query of every panel has data on a real Prometheus that scrapes all services of a cluster under load (\`npm run nightly\`, \`tools/operations/live\`).
`

export const dashboardsPage = (): string =>
  dashboardsPreamble +
  dashboards
    .map(({ title, panels }) => {
      const questions = panels.map(({ question, says }) => `- **${question}**${says === undefined ? '' : ` ${says}`}`)
      return `\n## ${title.replace('svc / ', '')}\n\n${questions.join('\n')}\n`
    })
    .join('')

const alertsPreamble = `# Alerts

Made by a test from \`tools/operations\`. Every alert has a runbook, and a case for promtool in which it is quiet, fires and is over. Those with a fault here also fire and
end before a real Prometheus on a cluster under load, where the fault is brought about (\`npm run nightly\`, \`tools/operations/live\`; times a thirtieth, thresholds as they are).
For the others it is said why not.

`

const columns = ['Alert', 'Severity', 'Brought about by', 'Or only in a case, because']
const faultsOf: Readonly<Record<string, readonly string[]>> = provokedBy

export const alertsPage = (): string =>
  alertsPreamble +
  markdownTable(
    columns,
    alerts.map(({ name, severity }) => {
      const runbook = runbookOf(name).replace('docs/runbooks/', '')
      return [`[${name}](${runbook})`, severity, faultsOf[name]?.join('; ') ?? '', notProvoked[name] ?? '']
    }),
  )
