// Generates the rules in Prometheus' format.
import { stringify } from 'yaml'
import { alerts } from './alerts.ts'
import { recordings } from './recordings.ts'

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

/** Returns the rules for the chart. Times are placeholders of the format `@<seconds>s`. */
export const chartRules = (): string => made + stringify({ groups: groupsOf(recordings, alerts) }, { lineWidth: 0 })

const plain = (text: string) => text.replaceAll(/@(\d+s)/g, '$1')

export const plainRules = (): string => plain(chartRules())

/**
 * Returns the recordings that an expression uses, directly or through other recordings. The result has the order in which the recordings
 * are defined.
 */
function recordingsFor(expr: string): typeof recordings {
  const read = recordings.filter(({ record }) => expr.includes(record))
  const needed = new Set(read.flatMap(recording => [...recordingsFor(recording.expr), recording]))
  return recordings.filter(recording => needed.has(recording))
}

/** Returns only the rules that one alert needs, because evaluating all rules takes much longer. */
export function plainRulesOf(alert: string): string {
  const watched = alerts.find(({ name }) => name === alert)!
  return plain(stringify({ groups: groupsOf(recordingsFor(watched.expr), [watched]) }, { lineWidth: 0 }))
}

/**
 * Returns the rules, with every time multiplied by `scale`, and rounded to whole seconds. Each resulting time is at least one second. A
 * test can then wait until an alert fires and resolves.
 */
export const scaledRules = (scale: number): string =>
  chartRules().replaceAll(/@(\d+)s/g, (_, seconds: string) => `${Math.max(1, Math.round(Number(seconds) * scale))}s`)

export const timesOf = (text: string): readonly number[] => [
  ...new Set([...text.matchAll(/@(\d+)s/g)].map(([, seconds]) => Number(seconds))),
]
