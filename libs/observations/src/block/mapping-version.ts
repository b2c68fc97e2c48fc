// The version of the mapping rules that created a row. An insert intent contains it, so that a writer with other rules knows which rows an
// earlier writer might have stored. The ledger records it, too.
//
// Raise it with every change that affects a row or a rejection; the golden rows of test/golden enforce this.

export const mappingVersion = '21'
