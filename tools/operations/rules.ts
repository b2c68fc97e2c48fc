// The rules in Prometheus' format. The times in the rules are numbers, or placeholders that the chart replaces.
import { stringify } from 'yaml'
import { alerts } from './alerts.ts'
import { recordings } from './recordings.ts'

/** Returns the path of an alert's runbook from the root of the repository. */
export const runbookOf = (alert: string) => `docs/runbooks/alerts/${alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`

const groupsOf = (recorded: typeof recordings, watched: typeof alerts) => [
  { name: 'svc.recordings', rules: recorded.map(({ record, expr }) => ({ record, expr })) },
  {
    name: 'svc.alerts',
    rules: watched.map(({ name, expr, forSeconds, severity, summary }) => ({
      alert: name,
      expr,
      ...(forSeconds > 0 && { for: `@${forSeconds}s` }),
      labels: { severity },
      annotations: { summary, runbook: runbookOf(name) },
    })),
  },
]

const made = '# Generated from tools/operations/alerts.ts by a test.\n'

/** The rules for the chart, with `@<seconds>s` as placeholders for times. */
export const chartRules = (): string => made + stringify({ groups: groupsOf(recordings, alerts) }, { lineWidth: 0 })

const plain = (text: string) => text.replaceAll(/@(\d+s)/g, '$1')

/** Rules with plain times. */
export const plainRules = (): string => plain(chartRules())

/** Returns the recordings that an expression reads, directly or through other recordings, in the order of their definition. */
function recordingsFor(expr: string): typeof recordings {
  const read = recordings.filter(({ record }) => expr.includes(record))
  const needed = new Set(read.flatMap(recording => [...recordingsFor(recording.expr), recording]))
  return recordings.filter(recording => needed.has(recording))
}

/** Returns the rules that one alert needs, with plain times. Evaluating one alert's rules costs much less than evaluating all rules. */
export function plainRulesOf(alert: string): string {
  const watched = alerts.find(({ name }) => name === alert)!
  return plain(stringify({ groups: groupsOf(recordingsFor(watched.expr), [watched]) }, { lineWidth: 0 }))
}

/** Returns the rules with shortened times, so that a test can wait until alerts fire and resolve. */
export const scaledRules = (scale: number): string =>
  chartRules().replaceAll(/@(\d+)s/g, (_, seconds: string) => `${Math.max(1, Math.round(Number(seconds) * scale))}s`)

/** Returns all times in the rules. */
export const timesOf = (text: string): readonly number[] => [
  ...new Set([...text.matchAll(/@(\d+)s/g)].map(([, seconds]) => Number(seconds))),
]
