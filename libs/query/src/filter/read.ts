import { parseJson } from '@svc-server/json'
import { badRequest, badShape } from '../invalid-query.ts'
import type { Condition } from './condition.ts'
import { filterShape } from './grammar.ts'
import { type FilterColumns, resolveFilter } from './resolve.ts'

/** An empty text means that there is no filter. Throws InvalidQuery. */
export function readFilter(text: string | undefined, columns: FilterColumns): readonly Condition[] {
  if (text === undefined || text === '') return []
  return filterOf(parsed(text), columns)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw badRequest('Invalid JSON in filter parameter')
  }
}

/** `path` is the location of the value in the request, for error messages. */
export function filterOf(json: unknown, columns: FilterColumns, path: readonly (string | number)[] = ['filter']): readonly Condition[] {
  const shape = filterShape.safeParse(json)
  if (!shape.success)
    throw badShape(...shape.error.issues.map(issue => ({ path: [...path, ...issue.path.map(String)], message: issue.message })))
  return resolveFilter(shape.data, columns)
}
