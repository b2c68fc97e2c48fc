// Texts of signing in, one-time links and passwords.

export const signInText = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  working: 'Signing in…',
  provider: (name: string) => `Sign in with ${name}`,
  forgotten: 'Forgot the password? An administrator of your organization makes a new link in its settings.',
  linkTitle: 'One-time link',
  linkWorking: 'Signing you in…',
  linkFailed: 'This link cannot be used',
  linkMissing: 'The address has no token. Open the link as it was printed.',
  linkHelp: 'Links work once. Ask for a new one, or sign in with your password.',
  choose: 'Choose a password',
  chooseHelp: 'With this link you sign in once. Afterwards you use your email address and this password.',
  chooseSubmit: 'Save and sign in',
  change: 'Password',
  current: 'Current password',
  next: 'New password',
  save: 'Save',
  saved: 'The password is changed. Every other session has ended.',
} as const
