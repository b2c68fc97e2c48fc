// Generates docs/dashboards.md and docs/runbooks/alerts.md.
import { markdownTable } from '../../libs/service/src/text/markdown-table.ts'
import { alerts } from './alerts.ts'
import { dashboards } from './dashboards/index.ts'
import { notProvoked, provokedBy } from './live/seen-live.ts'
import { runbookOf } from './rules.ts'

const dashboardsPreamble = `# Dashboards

A test generates this page and the JSON in \`deploy/helm/files/dashboards\` from \`tools/operations/dashboards\`. The chart installs the dashboards as ConfigMaps, and Docker Compose installs them in its Grafana.
Each panel shows the answer to the question in its title. A nightly test proves that every query of every panel returns data from a real Prometheus that scrapes all services of a cluster under load (\`npm run nightly\`, \`tools/operations/live\`).
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

A test in \`tools/operations\` generates this page. Every alert has a runbook, and a promtool test in which the alert first does not fire, then fires, and then ends. If the column "Caused by" names a fault,
the nightly suite (\`npm run nightly\`, \`tools/operations/live\`) causes this fault on a cluster under load, and checks that a real Prometheus fires and ends the alert. The nightly suite divides all times by thirty, and keeps the thresholds. The last column states why an alert is tested only with promtool.

`

const columns = ['Alert', 'Severity', 'Caused by', 'Tested only with promtool, because']
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
