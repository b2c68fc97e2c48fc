export { objectExists } from './exists.ts'
