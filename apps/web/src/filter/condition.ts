// A filter in the form of the API (contract §17.3): a list of conditions, all of which must hold.

type TextOperator = '=' | 'contains' | 'does not contain' | 'starts with' | 'ends with' | 'matches'
export type NumberOperator = '=' | '>' | '<' | '>=' | '<='

export type FilterCondition =
  | { readonly type: 'string'; readonly column: string; readonly operator: TextOperator; readonly value: string }
  | { readonly type: 'stringOptions'; readonly column: string; readonly operator: 'any of' | 'none of'; readonly value: readonly string[] }
  | {
      readonly type: 'arrayOptions'
      readonly column: string
      readonly operator: 'any of' | 'none of' | 'all of'
      readonly value: readonly string[]
    }
  | {
      readonly type: 'categoryOptions'
      readonly column: string
      readonly key: string
      readonly operator: 'any of' | 'none of'
      readonly value: readonly string[]
    }
  | { readonly type: 'number'; readonly column: string; readonly operator: NumberOperator; readonly value: number }
  | { readonly type: 'datetime'; readonly column: string; readonly operator: Exclude<NumberOperator, '='>; readonly value: string }
  | { readonly type: 'boolean'; readonly column: string; readonly operator: '=' | '<>'; readonly value: boolean }
  | { readonly type: 'null'; readonly column: string; readonly operator: 'is null' | 'is not null'; readonly value: '' }
  | {
      readonly type: 'stringObject'
      readonly column: string
      readonly key: string
      readonly operator: TextOperator | 'is set' | 'is not set'
      readonly value: string
    }
  | {
      readonly type: 'numberObject'
      readonly column: string
      readonly key: string
      readonly operator: NumberOperator
      readonly value: number
    }
  | {
      readonly type: 'booleanObject'
      readonly column: string
      readonly key: string
      readonly operator: '=' | '<>'
      readonly value: boolean
    }

export const textSigns = { '=': '=', '~': 'contains', '^': 'starts with', $: 'ends with', '*': 'matches' } as const
export const signOf = (operator: TextOperator): string =>
  operator === 'does not contain' ? '~' : Object.entries(textSigns).find(([, each]) => each === operator)![0]
