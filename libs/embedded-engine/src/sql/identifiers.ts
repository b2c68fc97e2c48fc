// Checks parameters such as `{name:Identifier}`, whose value becomes a name in the statement.
import type { DeniedNames } from './denied.ts'
import { isSymbol, type Token } from './lexer.ts'
import { SqlRefused } from './refused.ts'

export type NamedValue = readonly [name: string, value: string]

const identifierParameters = (list: readonly Token[]): string[] =>
  list.flatMap((token, at) =>
    isSymbol(token, '{') && isSymbol(list[at + 2], ':') && list[at + 3]?.value.toLowerCase() === 'identifier' ? [list[at + 1]!.value] : [],
  )

/**
 * Throws ACCESS_DENIED for a forbidden identifier, and for a parameter without a value in this request. If this function accepted a
 * parameter without a value, a caller could create a view `v` with a parameter `f`. A later statement could then set the parameter in a
 * string, as in `v(f = 'file')`. The guard does not check this string.
 */
export const checkIdentifierParameters = (list: readonly Token[], params: readonly NamedValue[], names: DeniedNames): void => {
  for (const name of identifierParameters(list)) {
    const values = params.filter(([given]) => given === name).map(([, value]) => value)
    if (values.length === 0) throw new SqlRefused('ACCESS_DENIED', `The identifier {${name}} must be a parameter of this request.`)
    for (const value of values) {
      const bare = value.replace(/[`"'\\\s]/g, '').toLowerCase()
      if ([names.anywhere, names.functions, names.engines].some(set => set.has(bare)) || /\\/.test(value))
        throw new SqlRefused(
          'ACCESS_DENIED',
          `The identifier ${value} is not allowed on the embedded engine: it could reach files or other hosts.`,
        )
    }
  }
}
