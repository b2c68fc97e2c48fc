// Formats an experiment's result as readable text.
import { datasetOf } from './ids.ts'
import type { Evaluation, ExperimentItemResult } from './types.ts'

interface Formatted {
  readonly name: string
  readonly runName: string
  readonly description: string | undefined
  readonly itemResults: readonly ExperimentItemResult[]
  readonly runEvaluations: readonly Evaluation[]
  readonly experimentUrl: string | undefined
  /** URL of the project's page; undefined if the project is unknown. */
  readonly projectUrl: string | undefined
}

const rule = '─'.repeat(50)
const longestText = 50

function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText - 3)}...` : value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

const shownValue = (value: Evaluation['value']): string => (typeof value === 'number' ? value.toFixed(3) : value)

function evaluationLines({ name, value, comment }: Evaluation, indent: string): string[] {
  return [`${indent}• ${name}: ${shownValue(value)}`, ...(comment ? [`${indent}  💭 ${comment}`] : [])]
}

function itemLines({ item, output, evaluations, traceId }: ExperimentItemResult, at: number, projectUrl: string | undefined): string[] {
  const dataset = datasetOf(item)
  return [
    `${at + 1}. Item ${at + 1}:`,
    `   Input:    ${shown(item.input)}`,
    `   Expected: ${shown(item.expectedOutput ?? null)}`,
    `   Actual:   ${shown(output)}`,
    ...(evaluations.length === 0 ? [] : ['   Scores:', ...evaluations.flatMap(each => evaluationLines(each, '     '))]),
    ...(dataset && projectUrl ? ['', '   Dataset Item:', `   ${projectUrl}/datasets/${dataset.datasetId}/items/${dataset.id}`] : []),
    ...(traceId && projectUrl ? ['', '   Trace:', `   ${projectUrl}/traces/${traceId}`] : []),
    '',
  ]
}

function averageLines(evaluations: readonly Evaluation[]): string[] {
  const numbers = new Map<string, number[]>()
  for (const { name, value } of evaluations) {
    if (typeof value === 'number') numbers.set(name, [...(numbers.get(name) ?? []), value])
  }
  const lines = [...numbers].map(
    ([name, values]) => `  • ${name}: ${(values.reduce((sum, each) => sum + each, 0) / values.length).toFixed(3)}`,
  )
  return lines.length === 0 ? [] : ['', 'Average Scores:', ...lines]
}

export function formatExperiment(result: Formatted, options: { readonly includeItemResults?: boolean | undefined } = {}): string {
  const { name, runName, description, itemResults, runEvaluations, experimentUrl, projectUrl } = result
  if (itemResults.length === 0) return 'No experiment results to display.'
  const evaluations = itemResults.flatMap(each => each.evaluations)
  const names = [...new Set(evaluations.map(each => each.name))]
  const items = options.includeItemResults
    ? itemResults.flatMap((each, at) => itemLines(each, at, projectUrl))
    : [`Individual Results: Hidden (${itemResults.length} items)`, '💡 Call format({ includeItemResults: true }) to view them', '']
  return [
    ...items,
    rule,
    `🧪 Experiment: ${name}`,
    `📋 Run name: ${runName}${description ? ` - ${description}` : ''}`,
    `${itemResults.length} items`,
    ...(names.length === 0 ? [] : ['', 'Evaluations:', ...names.map(each => `  • ${each}`)]),
    ...averageLines(evaluations),
    ...(runEvaluations.length === 0 ? [] : ['', 'Run Evaluations:', ...runEvaluations.flatMap(each => evaluationLines(each, '  '))]),
    ...(experimentUrl ? ['', '🔗 Experiment:', `   ${experimentUrl}`] : []),
  ].join('\n')
}
