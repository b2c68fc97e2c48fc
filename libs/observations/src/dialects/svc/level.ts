// Reads the severity that the product's own SDKs send. An application can use any word for the severity.
import type { Level } from '../../rules/dialect.ts'
import type { Rule } from '../../rules/rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import './keys.ts'

const levels: ReadonlyMap<string, Level> = new Map([
  ...['DEBUG', 'TRACE', 'VERBOSE'].map(word => [word, 'DEBUG'] as const),
  ...['DEFAULT', 'INFO', 'LOG', 'NOTICE', 'OK', 'SUCCESS'].map(word => [word, 'DEFAULT'] as const),
  ...['WARNING', 'WARN'].map(word => [word, 'WARNING'] as const),
  ...['ERROR', 'FATAL', 'CRITICAL'].map(word => [word, 'ERROR'] as const),
])

const levelKey = keyNumber('svc.observation.level')
const longestWord = 64

export const saidLevel: Rule<Level> = {
  name: 'svc.observation.level',
  read(span) {
    const entry = span.own.get(levelKey)
    if (entry < 0) return undefined
    const { kinds, starts, ends } = span.attributes
    const isWord = kinds[entry] === valueKind.text && ends[entry]! - starts[entry]! <= longestWord
    const level = isWord ? levels.get(wireText(span.source, starts[entry]!, ends[entry]!).trim().toUpperCase()) : undefined
    if (level === undefined) span.lose('unfit_value', entry)
    else span.explanation?.use('svc.observation.level')
    return level
  },
}
