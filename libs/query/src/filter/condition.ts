// A filter is a list of conditions, all of which must be true. `sql.ts` and `predicate.ts` compile the conditions.
import type {
  AmountsField,
  BooleanField,
  ListField,
  MetadataField,
  NumberField,
  PriceField,
  ScoreField,
  SearchedField,
  TextField,
  TimeField,
  ValueField,
} from '../fields/kinds.ts'

export type TextOperator = '=' | 'contains' | 'does not contain' | 'starts with' | 'ends with'
export type OrderOperator = '>' | '<' | '>=' | '<='
export type NumberOperator = '=' | OrderOperator
type OptionsOperator = 'any of' | 'none of'

export type Condition =
  | { readonly is: 'text'; readonly field: TextField; readonly operator: TextOperator; readonly value: string }
  | { readonly is: 'options'; readonly field: TextField; readonly operator: OptionsOperator; readonly values: readonly string[] }
  | { readonly is: 'number'; readonly field: NumberField; readonly operator: NumberOperator; readonly value: number }
  /** Microseconds since the epoch. */
  | { readonly is: 'time'; readonly field: TimeField; readonly operator: OrderOperator; readonly value: bigint }
  | { readonly is: 'boolean'; readonly field: BooleanField; readonly value: boolean }
  | { readonly is: 'list'; readonly field: ListField; readonly operator: OptionsOperator | 'all of'; readonly values: readonly string[] }
  | { readonly is: 'null'; readonly field: ValueField; readonly value: boolean }
  | { readonly is: 'search'; readonly field: SearchedField; readonly operator: TextOperator | 'matches'; readonly value: string }
  | { readonly is: 'set'; readonly field: MetadataField; readonly key: string; readonly value: boolean }
  | {
      readonly is: 'metadataText'
      readonly field: MetadataField
      readonly key: string
      readonly operator: TextOperator | 'matches'
      readonly value: string
    }
  | {
      readonly is: 'metadataNumber'
      readonly field: MetadataField
      readonly key: string
      readonly operator: NumberOperator
      readonly value: number
    }
  | { readonly is: 'metadataBoolean'; readonly field: MetadataField; readonly key: string; readonly value: boolean }
  | {
      readonly is: 'metadataOptions'
      readonly field: MetadataField
      readonly key: string
      readonly operator: OptionsOperator
      readonly values: readonly string[]
    }
  | {
      readonly is: 'amount'
      readonly field: AmountsField
      readonly key: string
      readonly operator: NumberOperator
      readonly value: number
    }
  /**
   * Compares a price. Without `than`, tests whether there is a price. Only a list of observations accepts this condition
   * (`observations/prices.ts`).
   */
  | {
      readonly is: 'price'
      readonly field: PriceField
      readonly than?: { readonly operator: NumberOperator; readonly value: number }
      readonly isNull?: boolean
    }
  | {
      readonly is: 'scoreAverage'
      readonly field: ScoreField
      readonly key: string
      readonly operator: NumberOperator
      readonly value: number
    }
  | {
      readonly is: 'scoreCategories'
      readonly field: ScoreField
      readonly key: string
      readonly operator: OptionsOperator
      readonly values: readonly string[]
    }
  /** Tests whether one of the object's scores has this name and value. If `holds` is false, tests that no score has this name and value. */
  | { readonly is: 'scoreBooleans'; readonly field: ScoreField; readonly key: string; readonly holds: boolean; readonly value: boolean }
