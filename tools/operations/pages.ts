// Pages for people, made from the data: docs/dashboards.md and docs/runbooks/alerts.md.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { markdownTable } from '../../libs/service/src/text/markdown-table.ts'
import { alerts } from './alerts.ts'
import { dashboards } from './dashboards/index.ts'
import { notProvoked, provokedBy } from './live/seen-live.ts'
import { runbookOf } from './rules.ts'

const docs = resolve(import.meta.dirname, '../../docs')
export const picturesFolder = join(docs, 'dashboards')

const dashboardsPreamble = `# Dashboards

Made by a test from \`tools/operations/dashboards\`, as is the JSON in \`deploy/helm/files/dashboards\`, which the chart brings as ConfigMaps and compose to its Grafana. Each panel answers the
question in its title. The pictures are not Grafana's: they are drawn from what a real Prometheus answered that scraped all services of a cluster under load for a quarter of an hour
(\`tools/operations/live\`). Its machine had much else to do, so that what is readable was minutes behind; one insert of a hundred spans was answered and not stored, and is what is
unaccounted for; keys did not work, and a process was killed again and again. That of the backfill is of a run of its own, in which a chunk failed and somebody mended it.
`

export const dashboardsPage = (): string =>
  dashboardsPreamble +
  dashboards
    .map(({ slug, title, panels }) => {
      const picture = existsSync(join(picturesFolder, `${slug}.svg`)) ? `\n![${title}](dashboards/${slug}.svg)\n` : ''
      const questions = panels.map(({ question, says }) => `- **${question}**${says === undefined ? '' : ` ${says}`}`)
      return `\n## ${title.replace('svc / ', '')}\n\n${questions.join('\n')}\n${picture}`
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
