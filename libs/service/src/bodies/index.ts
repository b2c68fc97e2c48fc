export { type Budget, createBudget, type Lease } from './budget.ts'
export { free } from './free.ts'
export { type Body, ClientGone, declaredBytes, discardBody, readBody, tooLarge } from './read-body.ts'
export { type Answer, send } from './send.ts'
