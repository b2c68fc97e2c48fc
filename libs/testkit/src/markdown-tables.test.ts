import { expect, test } from 'vitest'
import { withTables } from './markdown-tables.ts'

const first = '| a   | b   |\n| --- | --- |\n| 1   | 2   |\n'
const second = '| a   | b   |\n| --- | --- |\n| 3   | 4   |\n'

test('each table replaces the next table with the same columns, regardless of column widths', () => {
  const text = '# x\n\n| c |\n| - |\n\n| a | b |\n| - | - |\n| old | row |\n| old | row |\n\ntext\n\n| a  | b |\n'
  const renewed = `# x\n\n| c |\n| - |\n\n${first}\ntext\n\n${second}`
  expect(withTables(text, [first, second])).toBe(renewed)
  expect(withTables(renewed, [first, second])).toBe(renewed)
})

test('a table without a counterpart is an error that names the remedy', () => {
  expect(() => withTables(first, [first, second])).toThrow('no table with the columns | a | b | after line 3: add or correct the line')
})
