// Creates random filter conditions on the scores of a trace, to test the legacy reads. Also decides whether scores meet a condition.
import type { Random, Score } from './data.ts'
import { type Condition, valueHolds } from './observations.ts'

export function scoreCondition(random: Random): Condition {
  const key = random.pick(['quality', 'tone', 'right'])
  return random.pick<Condition>([
    {
      type: 'numberObject',
      column: 'scores_avg',
      key,
      operator: random.pick(['=', '>', '<', '>=', '<=']),
      value: random.pick([0, 0.25, 0.5, 1]),
    },
    { type: 'categoryOptions', column: 'score_categories', key, operator: random.pick(['any of', 'none of']), value: ['good', 'a,b'] },
    { type: 'booleanObject', column: 'score_booleans', key, operator: random.pick(['=', '<>']), value: random.chance(0.5) },
  ])
}

export function scoresHold(scores: readonly Score[], { column, key, operator, value }: Condition): boolean {
  const named = scores.filter(({ name }) => name === key)
  if (column === 'scores_avg') {
    const numbers = named.filter(({ dataType }) => dataType === 'NUMERIC' || dataType === 'BOOLEAN').map(score => score.value as number)
    const average = numbers.length === 0 ? null : numbers.reduce((a, b) => a + b, 0) / numbers.length
    return valueHolds(average, { type: 'number', column, operator, value })
  }
  if (column === 'score_booleans')
    return named.some(score => score.dataType === 'BOOLEAN' && (score.value === 1) === value) === (operator === '=')
  const isLabel = (score: Score) =>
    (score.dataType === 'CATEGORICAL' || score.dataType === 'TEXT') && (value as string[]).includes(String(score.value))
  return named.some(isLabel) === (operator === 'any of')
}
