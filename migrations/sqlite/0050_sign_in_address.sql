-- The client's address at the sign-in, shown to the person who signed in. Unknown for sign-ins of earlier versions.
ALTER TABLE oauth_grant ADD COLUMN address TEXT;
