// Rules for new and changed score configurations (contract §18.4).
import { AppError } from '@svc-server/errors'

const scoreConfigTypes = ['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT'] as const

export interface ScoreCategory {
  readonly label: string
  readonly value: number
}

export interface ScoreConfigRules {
  readonly name: string
  readonly dataType: string
  readonly minValue: number | null
  readonly maxValue: number | null
  /** Null if the client sent no categories. */
  readonly categories: readonly ScoreCategory[] | null
}

export const booleanCategories: readonly ScoreCategory[] = [
  { label: 'True', value: 1 },
  { label: 'False', value: 0 },
]

const namePattern = /^[\p{L}\p{N}_ .()-]{1,35}$/u

function invalidity({ name, dataType, minValue, maxValue, categories }: ScoreConfigRules): string | undefined {
  if (!namePattern.test(name)) return 'A name must have 1 to 35 characters: letters, digits, spaces and _ . ( ) -'
  if (!(scoreConfigTypes as readonly string[]).includes(dataType)) return `dataType must be one of ${scoreConfigTypes.join(', ')}.`
  if (dataType !== 'NUMERIC' && (minValue !== null || maxValue !== null))
    return `minValue and maxValue are allowed only for NUMERIC, not for ${dataType}.`
  if (minValue !== null && maxValue !== null && minValue >= maxValue) return 'minValue must be less than maxValue.'
  if (dataType !== 'CATEGORICAL')
    return categories === null ? undefined : `categories are allowed only for CATEGORICAL, not for ${dataType}.`
  if (categories === null || categories.length === 0) return 'CATEGORICAL needs categories.'
  const distinct = (of: keyof ScoreCategory) => new Set(categories.map(category => category[of])).size === categories.length
  return distinct('label') && distinct('value') ? undefined : 'Labels and values of categories must be unique.'
}

/** Throws `bad_request`, naming the broken rule. */
export function requireValid(config: ScoreConfigRules): void {
  const reason = invalidity(config)
  if (reason !== undefined) throw new AppError('bad_request', reason)
}
