// The rules as Prometheus takes them: with times that the chart fills in, or as they are.
import { stringify } from 'yaml'
import { alerts } from './alerts.ts'
import { recordings } from './recordings.ts'

/** Where an alert's runbook is, from the top of the repository. */
export const runbookOf = (alert: string) => `docs/runbooks/alerts/${alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`

const groups = [
  { name: 'svc.recordings', rules: recordings.map(({ record, expr }) => ({ record, expr })) },
  {
    name: 'svc.alerts',
    rules: alerts.map(({ name, expr, forSeconds, severity, summary }) => ({
      alert: name,
      expr,
      ...(forSeconds > 0 && { for: `@${forSeconds}s` }),
      labels: { severity },
      annotations: { summary, runbook: runbookOf(name) },
    })),
  },
]

const made = '# Made from tools/operations/alerts.ts by a test.\n'

/** Of the chart: `@<seconds>s` stands for a time. */
export const chartRules = (): string => made + stringify({ groups }, { lineWidth: 0 })

/** As they are. */
export const plainRules = (): string => chartRules().replaceAll(/@(\d+s)/g, '$1')

/** Their times made shorter, as the chart's `timeScale` does: for watching alerts come and go. */
export const scaledRules = (scale: number): string =>
  chartRules().replaceAll(/@(\d+)s/g, (_, seconds: string) => `${Math.max(1, Math.round(Number(seconds) * scale))}s`)

/** Every time that stands in them. */
export const timesOf = (text: string): readonly number[] => [
  ...new Set([...text.matchAll(/@(\d+)s/g)].map(([, seconds]) => Number(seconds))),
]
