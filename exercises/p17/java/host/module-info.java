/**
 * What submissions are given, and the host program that holds them.
 *
 * <p>Submissions are in no module. They see what is exported here and nothing else, not even by
 * reflection: the host's objects, and the private fields of what is given, are out of their reach.
 */
module kit {
    exports p17;
}
