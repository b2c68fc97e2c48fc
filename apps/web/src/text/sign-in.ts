// Texts about signing in, one-time links and passwords.

export const signInText = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  working: 'Signing in…',
  provider: (name: string) => `Sign in with ${name}`,
  forgotten: 'Forgot the password? An administrator of your organization can create a new link in the settings.',
  linkTitle: 'One-time link',
  linkWorking: 'Signing you in…',
  linkFailed: 'This link cannot be used',
  linkMissing: 'The address has no token. Open the complete link as it was printed.',
  linkHelp: 'A link works only once. Ask for a new link, or sign in with your password.',
  choose: 'Choose a password',
  chooseHelp: 'This link signs you in once. Afterwards, sign in with your email address and this password.',
  chooseSubmit: 'Save and sign in',
  change: 'Password',
  current: 'Current password',
  next: 'New password',
  save: 'Save',
  saved: 'The password is changed. All other sessions have ended.',
} as const
