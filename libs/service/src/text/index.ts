export { markdownTable } from './markdown-table.ts'
